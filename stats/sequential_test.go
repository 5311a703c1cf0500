package stats

import (
	"math/rand/v2"
	"testing"
)

func looksOf(d Design, center, spread []float64) []Look {
	var looks []Look
	for _, n := range d.Looks[:d.Reached(len(center))] {
		looks = append(looks, Look{center[:n], spread[:n]})
	}
	return looks
}

func BenchmarkDecide(b *testing.B) {
	d := NewDesign(40, 0.05)
	r := rand.New(rand.NewPCG(1, 2))
	c, s := make([]float64, 40), make([]float64, 40)
	for i := range c {
		c[i], s[i] = r.NormFloat64()*.01, .01+.01*r.Float64()
	}
	looks := looksOf(d, c, s)
	for b.Loop() {
		if _, err := d.Decide(7, looks...); err != nil {
			b.Fatal(err)
		}
	}
}
