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

// func Two(a, b uintptr)
TEXT ·Two(SB), NOSPLIT, $0-16
	MOVQ a+0(FP), AX
	MOVQ b+8(FP), BX
	PREFETCHT0 (AX)
	PREFETCHT0 (BX)
	RET

// func All(list *[Most]uintptr)
TEXT ·All(SB), NOSPLIT, $0-8
	MOVQ list+0(FP), AX
	MOVQ 0(AX), BX
	MOVQ 8(AX), CX
	MOVQ 16(AX), DX
	MOVQ 24(AX), SI
	PREFETCHT0 (BX)
	PREFETCHT0 (CX)
	PREFETCHT0 (DX)
	PREFETCHT0 (SI)
	MOVQ 32(AX), BX
	MOVQ 40(AX), CX
	MOVQ 48(AX), DX
	MOVQ 56(AX), SI
	PREFETCHT0 (BX)
	PREFETCHT0 (CX)
	PREFETCHT0 (DX)
	PREFETCHT0 (SI)
	MOVQ 64(AX), BX
	MOVQ 72(AX), CX
	MOVQ 80(AX), DX
	MOVQ 88(AX), SI
	PREFETCHT0 (BX)
	PREFETCHT0 (CX)
	PREFETCHT0 (DX)
	PREFETCHT0 (SI)
	RET
