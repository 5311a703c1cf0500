//go:build !unix

package hostile

func ignoreSignals() {}
