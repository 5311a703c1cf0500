#include "textflag.h"

// func cycles() int64
//
// ISB keeps the read from happening early, and what follows from happening
// before it.
TEXT ·cycles(SB), NOSPLIT, $0-8
	ISB $15
	MRS CNTVCT_EL0, R0
	ISB $15
	MOVD R0, ret+0(FP)
	RET

// func cyclesAfter() int64
TEXT ·cyclesAfter(SB), NOSPLIT, $0-8
	ISB $15
	MRS CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	ISB $15
	RET
