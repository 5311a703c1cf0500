package unit_test

import (
	"fmt"

	"github.com/tarebench/tare/internal/unit"
)

// Results are kept in base units, and scaled together when they are shown.
func Example() {
	base, factor := unit.Base("ns/op")
	times := []float64{3791 * factor, 41200 * factor}
	scale := unit.Scaling(base, times...)
	for _, t := range times {
		fmt.Println(scale.Format(t), scale.Label(base))
	}
	// Output:
	// 3.791 µs/op
	// 41.200 µs/op
}

func ExampleBetter() {
	for _, u := range []string{"ns/op", "MB/s"} {
		switch unit.Better(u) {
		case unit.LowerIsBetter:
			fmt.Println(u, "should fall")
		case unit.HigherIsBetter:
			fmt.Println(u, "should rise")
		}
	}
	// Output:
	// ns/op should fall
	// MB/s should rise
}

func ExampleQuantity() {
	base, _ := unit.Base("p99-ns/op")
	fmt.Println(base, "counts", unit.Quantity(base))
	// Output: p99-sec/op counts sec
}

func ExampleScaling() {
	scale := unit.Scaling("live-B", 4096)
	fmt.Println(scale.Format(4096), scale.Label("live-B"), "and", scale.Format(6144))
	fmt.Println("one", scale.Symbol, "is", 1/scale.Factor, "bytes; decimals:", scale.Digits)
	// Output:
	// 4.000 live-KiB and 6.000
	// one KiB is 1024 bytes; decimals: 3
}

func ExampleSplit() {
	prefix, quantity, per := unit.Split("p99-sec/op")
	fmt.Printf("%q %q %q\n", prefix, quantity, per)
	// Output: "p99-" "sec" "/op"
}

func ExamplePrinted() {
	name, factor := unit.Printed("sec/op")
	fmt.Println(25e-9*factor, name)
	// Output: 25 ns/op
}

// Shares and changes have one form everywhere.
func ExamplePercent() {
	fmt.Println(unit.Percent(0.0067), unit.Percent(0.043), unit.Percent(0.86))
	fmt.Println(unit.ChangeDigits(-0.0001, 0.0277), unit.ChangeDigits(0.001, 0.54), unit.SignedPercent(-0.00001, 1))
	// Output:
	// 0.67% 4.3% 86%
	// 1 1 +0.0%
}

func ExampleParsePercent() {
	share, err := unit.ParsePercent("2.5%")
	fmt.Println(share, err)
	_, err = unit.ParsePercent("3")
	fmt.Println(err)
	// Output:
	// 0.025 <nil>
	// parse share: "3" needs a percent sign
}
