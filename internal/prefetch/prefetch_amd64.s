#include "textflag.h"

// func Line(p unsafe.Pointer)
TEXT ·Line(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	PREFETCHT0 (AX)
	RET

// func Lines(p unsafe.Pointer, n uint64)
TEXT ·Lines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ n+8(FP), BX
	SUBQ $4, BX
	JCS  rest
four:
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	PREFETCHT0 192(AX)
	ADDQ $256, AX
	SUBQ $4, BX
	JCC  four
rest:
	ADDQ $4, BX
	JEQ  done
one:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ BX
	JNE  one
done:
	RET

// func Spans(a, aBytes, b, bBytes uintptr)
TEXT ·Spans(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), AX
	MOVQ aBytes+8(FP), BX
	MOVQ b+16(FP), CX
	MOVQ bBytes+24(FP), DX
	ADDQ AX, BX
	ADDQ CX, DX
	ANDQ $-64, AX
	ANDQ $-64, CX
	SUBQ $192, BX
	JMP  test
four:
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	PREFETCHT0 192(AX)
	ADDQ $256, AX
test:
	CMPQ AX, BX
	JCS  four
	ADDQ $192, BX
	JMP  testOne
one:
	PREFETCHT0 (AX)
	ADDQ $64, AX
testOne:
	CMPQ AX, BX
	JCS  one
other:
	PREFETCHT0 (CX)
	ADDQ $64, CX
	CMPQ CX, DX
	JCS  other
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
	PREFETCHT0 (BX)
	PREFETCHT0 (CX)
	RET
