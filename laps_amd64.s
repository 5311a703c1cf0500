#include "go_asm.h"
#include "textflag.h"

// func next(l *laps) bool
//
// What is between the read and the last fence is endLap.
TEXT ·next(SB), NOSPLIT, $0-9
	MOVQ l+0(FP), BX
	CMPB laps_cycles(BX), $0
	JEQ  other
	LFENCE
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	CMPQ laps_pauses(BX), $0
	JNE  rare
	MOVQ laps_n(BX), CX
	MOVQ AX, SI
	SUBQ laps_last(BX), SI
	MOVBLZX CL, DI // buffer has 256 laps
	MOVQ SI, laps_buffer(BX)(DI*8)
	INCQ CX
	CMPQ CX, laps_limit(BX)
	JGE  rare
	CMPQ AX, laps_deadline(BX)
	JGE  rare
	MOVQ laps_more(BX), DX
	MOVQ CX, laps_n(BX)
	MOVQ AX, laps_last(BX)
	MOVQ DX, laps_left(BX)
	MOVB $1, ret+8(FP)
	LFENCE
	RET

rare:
	MOVQ AX, laps_now(BX)
	JMP  ·endLap(SB)

other:
	JMP ·nextInGo(SB)
