#include "textflag.h"

// func Line(p unsafe.Pointer)
TEXT ·Line(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	PREFETCHT0 (AX)
	RET

// func Lines(p unsafe.Pointer, which uint64)
TEXT ·Lines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ which+8(FP), BX
	TESTQ BX, BX
	JEQ  done
next:
	BSFQ BX, CX
	SHLQ $6, CX
	PREFETCHT0 (AX)(CX*1)
	LEAQ -1(BX), CX
	ANDQ CX, BX
	JNE  next
done:
	RET
