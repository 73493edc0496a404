#include "textflag.h"

// func Line(p unsafe.Pointer)
TEXT ·Line(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET

// func Lines(p unsafe.Pointer, which uint64)
TEXT ·Lines(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD which+8(FP), R1
	CBZ  R1, done
next:
	RBIT R1, R2
	CLZ  R2, R2
	ADD  R2<<6, R0, R3
	PRFM (R3), PLDL1KEEP
	SUB  $1, R1, R2
	AND  R2, R1, R1
	CBNZ R1, next
done:
	RET
