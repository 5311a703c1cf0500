//go:build !unix

package count

import "os"

func usage(s *os.ProcessState) Usage { return Usage{User: s.UserTime(), System: s.SystemTime()} }
