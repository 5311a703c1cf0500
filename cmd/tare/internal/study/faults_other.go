//go:build !unix

package study

import "os"

// faultsOf reports that page faults are not known here.
func faultsOf(*os.ProcessState) (float64, bool) { return 0, false }
