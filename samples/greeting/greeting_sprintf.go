//go:build sprintf || !append

package greeting

import "fmt"

// Greeting greets the world for the nth time.
func Greeting(n int) string {
	return fmt.Sprintf("hello, world %d", n)
}
