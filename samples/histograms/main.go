// Command histograms is lesson 4: the same greeting formatted by fmt.Sprintf
// and by strconv.AppendInt, every lap of both.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tarebench/tare"
)

func main() { lesson(os.Stdout, 50_000) }

// Text and Bytes are exported, so that the compiler keeps the values assigned
// to them.
var (
	Text  string
	Bytes []byte
)

func lesson(w io.Writer, laps int) {
	formatted := tare.NewBenchmark(laps)
	for formatted.Next() {
		Text = fmt.Sprintf("hello, world %d", 123)
	}

	var array [64]byte
	appended := tare.NewBenchmark(laps)
	for appended.Next() {
		b := append(array[:0], "hello, world "...)
		Bytes = strconv.AppendInt(b, 123, 10)
	}

	fmt.Fprintf(w, "fmt.Sprintf\n%v\nstrconv.AppendInt\n%v", formatted.Distribution(), appended.Distribution())
}
