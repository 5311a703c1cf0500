#include "textflag.h"

// func tareFence()
TEXT ·tareFence(SB), NOSPLIT, $0-0
	ISB $15
	RET
