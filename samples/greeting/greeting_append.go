//go:build append && !sprintf

package greeting

import "strconv"

// Greeting greets the world for the nth time.
func Greeting(n int) string {
	var buf [40]byte
	b := append(buf[:0], "hello, world "...)
	b = strconv.AppendInt(b, int64(n), 10)
	return string(b)
}
