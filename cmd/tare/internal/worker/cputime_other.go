//go:build !linux || portable

package worker

// threadTimes are not known here. Only the time limit ends a worker that waits.
func threadTimes(pid int) map[string]threadTime { return nil }

func requeue(pid int, threads []string) {}
