package finding_test

import (
	"encoding/json"
	"fmt"

	"github.com/tarebench/tare/internal/finding"
)

// A kind is defined once. A finding adds its subject and its numbers.
func Example() {
	kind := finding.Kind{
		ID: "too-few-laps", Severity: finding.Info,
		Message: "p99.9 needs {needed}, there are {laps}",
		Action:  "measure {times} as long",
	}
	f := kind.Of("BenchmarkParse", finding.Count("needed", 1000, "lap"), finding.Count("laps", 100, ""), finding.Count("times", 10, "time"))
	switch f.Severity {
	case finding.Info:
		fmt.Println("note:", f)
	case finding.Warning, finding.Severe:
		fmt.Println("do not trust the number yet:", f)
	}
	fmt.Println(kind.Is(f), f.Same(kind.Of("BenchmarkFormat")))
	// Output:
	// note: BenchmarkParse: p99.9 needs 1000 laps, there are 100; measure 10 times as long [too-few-laps]
	// true false
}

// A message has rounded numbers. JSON has them unrounded, in base units.
func ExampleValue() {
	values := []finding.Value{
		finding.Text("side", "new"),
		finding.Number("ratio", 2.34567),
		finding.Count("blocks", 1, "block"),
		finding.Share("lost", 0.0432),
		finding.Change("change", -0.0123),
		finding.ChangeIn("estimate", 0.0068, -0.0001, 0.0277),
		finding.Quantity("time", 1.23456e-6, "sec"),
	}
	for _, v := range values {
		fmt.Println(v)
	}
	f := finding.Kind{ID: "example"}.Of("", values...)
	b, err := json.Marshal(f.Values)
	fmt.Println(string(b), err)
	// Output:
	// new
	// 2.35
	// 1 block
	// 4.3%
	// -1.2%
	// +0.7% (+0.0 … +2.8%)
	// 1.23 µs
	// {"blocks":1,"change":-0.0123,"estimate":0.0068,"lost":0.0432,"ratio":2.34567,"side":"new","time":0.00000123456} <nil>
}
