#include "textflag.h"

// func read() int64
//
// ISB keeps the read from happening early, and what follows from happening
// before it.
TEXT ·read(SB), NOSPLIT, $0-8
	ISB $15
	MRS CNTVCT_EL0, R0
	ISB $15
	MOVD R0, ret+0(FP)
	RET

// func after() int64
TEXT ·after(SB), NOSPLIT, $0-8
	ISB $15
	MRS CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func before() int64
TEXT ·before(SB), NOSPLIT, $0-8
	MRS CNTVCT_EL0, R0
	ISB $15
	MOVD R0, ret+0(FP)
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	ISB $15
	RET
