#include "textflag.h"

// func Line(p unsafe.Pointer)
TEXT ·Line(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PLDL1KEEP
	RET

// func Lines(p unsafe.Pointer, n uint64)
TEXT ·Lines(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD n+8(FP), R1
	CBZ  R1, done
next:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0, R0
	SUB  $1, R1, R1
	CBNZ R1, next
done:
	RET

// func Spans(a, aBytes, b, bBytes uintptr)
TEXT ·Spans(SB), NOSPLIT, $0-32
	MOVD a+0(FP), R0
	MOVD aBytes+8(FP), R1
	MOVD b+16(FP), R2
	MOVD bBytes+24(FP), R3
	ADD  R0, R1, R1
	ADD  R2, R3, R3
	AND  $~63, R0, R0
	AND  $~63, R2, R2
one:
	PRFM (R0), PLDL1KEEP
	ADD  $64, R0, R0
	CMP  R1, R0
	BLO  one
other:
	PRFM (R2), PLDL1KEEP
	ADD  $64, R2, R2
	CMP  R3, R2
	BLO  other
	RET

// func Two(a, b uintptr)
TEXT ·Two(SB), NOSPLIT, $0-16
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	PRFM (R0), PLDL1KEEP
	PRFM (R1), PLDL1KEEP
	RET

// func All(list *[Most]uintptr)
TEXT ·All(SB), NOSPLIT, $0-8
	MOVD list+0(FP), R0
	LDP  0(R0), (R1, R2)
	LDP  16(R0), (R3, R4)
	LDP  32(R0), (R5, R6)
	LDP  48(R0), (R7, R8)
	LDP  64(R0), (R9, R10)
	PRFM (R1), PLDL1KEEP
	PRFM (R2), PLDL1KEEP
	PRFM (R3), PLDL1KEEP
	PRFM (R4), PLDL1KEEP
	PRFM (R5), PLDL1KEEP
	PRFM (R6), PLDL1KEEP
	PRFM (R7), PLDL1KEEP
	PRFM (R8), PLDL1KEEP
	PRFM (R9), PLDL1KEEP
	PRFM (R10), PLDL1KEEP
	RET

// func Seven(list *[Most]uintptr)
TEXT ·Seven(SB), NOSPLIT, $0-8
	MOVD list+0(FP), R0
	LDP  0(R0), (R1, R2)
	LDP  16(R0), (R3, R4)
	LDP  32(R0), (R5, R6)
	MOVD 48(R0), R7
	PRFM (R1), PLDL1KEEP
	PRFM (R2), PLDL1KEEP
	PRFM (R3), PLDL1KEEP
	PRFM (R4), PLDL1KEEP
	PRFM (R5), PLDL1KEEP
	PRFM (R6), PLDL1KEEP
	PRFM (R7), PLDL1KEEP
	RET
