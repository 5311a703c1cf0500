package judge_test

import (
	"fmt"
	"math"

	"github.com/tarebench/tare/cmd/tare/internal/judge"
	"github.com/tarebench/tare/cmd/tare/internal/stats"
)

// A paired comparison: every block has run old and new side by side in slices.
func Example() {
	blocks := [][]float64{ // ln(new/old) of the slices of each block
		{-0.031, -0.030, -0.029}, {-0.027, -0.025, -0.023}, {-0.036, -0.035, -0.034}, {-0.032, -0.031, -0.030},
		{-0.028, -0.027, -0.026}, {-0.035, -0.033, -0.031}, {-0.029, -0.028, -0.027}, {-0.033, -0.032, -0.031},
	}
	if len(blocks) < judge.MinBlocks {
		fmt.Println("too few blocks for an interval")
		return
	}
	var look judge.Look
	for _, slices := range blocks {
		look.Center = append(look.Center, stats.Median(slices))
	}
	design := judge.NewDesign(40, 0.05, 1) // stop at any of its looks
	const seed = 1
	decisions, err := design.Decide(seed, look)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := decisions[len(decisions)-1]
	fmt.Printf("%d blocks: %+.1f%%, 95%% from %+.1f to %+.1f%%\n", d.N, 100*math.Expm1(d.Center), 100*math.Expm1(d.Lo), 100*math.Expm1(d.Hi))
	fmt.Println("differs:", d.Excludes(0), "by 2% or more:", d.Excludes(math.Log(0.98)), "p:", d.P)
	// Output:
	// 8 blocks: -3.0%, 95% from -3.4 to -2.5%
	// differs: true by 2% or more: true p: 0.0078125
}

func ExampleNewDesign() {
	design := judge.NewDesign(20, 0.05, 1)
	fmt.Printf("look at %v, spend %.4f\n", design.Looks, design.Spend)
	fmt.Println("16 blocks have reached", design.Reached(16), "looks")
	fmt.Println("interrupted at 16:", design.WithEnd(16).Looks)
	// Output:
	// look at [8 11 15 20], spend [0.0078 0.0225 0.0368 0.0500]
	// 16 blocks have reached 3 looks
	// interrupted at 16: [8 11 15 16 20]
}

// The interval of five values: with the critical value 0 it is their range, with
// 1 it leaves out the smallest and the largest of their pairwise means.
func ExampleLook_Bounds() {
	look := judge.Look{Center: []float64{1, 2, 3, 4, 10}}
	for _, critical := range []float64{-1, 0, 1} {
		lo, hi := look.Bounds(critical)
		fmt.Println(lo, hi)
	}
	// Output:
	// -Inf +Inf
	// 1 10
	// 1.5 7
}
