// Command nothing prints a line.
package main

import "fmt"

func main() { fmt.Println("hello") }
