//go:build !amd64

package tare

func next(l *laps) bool { return nextInGo(l) }
