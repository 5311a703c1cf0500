package drawing

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/histogram"
)

// No label leaves the picture, for any range of values, unit, name and size.
func TestLabelsAreInThePicture(t *testing.T) {
	long := "BenchmarkEncode/size=1048576/alignment=16/variant=unsafe"
	many := make([]float64, 200_000)
	for i := range many {
		many[i] = 1e-6 * float64(1+i%97)
	}
	sets := map[string][]float64{
		"extreme": {1e-14, 1e-9, 3, 1e5, 1e13, 2e13, 1e-3},
		"huge":    {1e13, 1.1e13, 1.3e13},
		"tiny":    {1e-14, 1.1e-14, 1.3e-14},
		"one":     {1e-6},
		"zeros":   {0, 0, 0},
		"signs":   {-1e-6, 0, 2e-6},
		"many":    many,
	}
	for name, values := range sets {
		for _, base := range []string{"", "B/op", "widgets/op"} {
			for _, width := range []int{240, 320, 800} {
				o := Options{Title: strings.Repeat("title ", 20), Unit: base, Width: width, Height: 600}
				series := []Series{{Name: long, Values: values}, {Name: "short", Values: values}}
				checkLabels(t, fmt.Sprintf("%s %s %d", name, base, width), func(w io.Writer) error { return All(w, o, series...) })
				checkLabels(t, fmt.Sprintf("%s %s %d, one series", name, base, width), func(w io.Writer) error { return All(w, o, series[0]) })
			}
		}
	}
	row := Strip{Name: long, Unit: "sec/op", Old: []float64{240e-9, 241e-9}, New: []float64{2.4e-3, 2.5e-3}, Ratio: 1e4, Lo: 9e3, Hi: 1.1e4, Verdict: "slower"}
	checkLabels(t, "strips", func(w io.Writer) error {
		return Strips(w, StripOptions{Old: long, New: long, Delta: 0.02}, row, Strip{Name: "alone", Unit: "B/s", New: []float64{3e8}})
	})
}

// checkLabels finds the labels that are too wide for the picture.
func checkLabels(t *testing.T, name string, draw func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := draw(&b); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	width, labels := 0.0, 0
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "svg" && e.Name.Local != "text" {
			continue
		}
		attributes := map[string]string{}
		for _, a := range e.Attr {
			attributes[a.Name.Local] = a.Value
		}
		if e.Name.Local == "svg" {
			width, _ = strconv.ParseFloat(attributes["width"], 64)
			continue
		}
		var label string
		if err := d.DecodeElement(&label, &e); err != nil {
			t.Fatal(err)
		}
		labels++
		x, _ := strconv.ParseFloat(attributes["x"], 64)
		size, _ := strconv.ParseFloat(attributes["font-size"], 64)
		if attributes["font-weight"] != "" {
			size *= bold
		}
		left := x
		switch attributes["text-anchor"] {
		case "end":
			left -= textWidth(label, size)
		case "middle":
			left -= textWidth(label, size) / 2
		}
		if left < 0 || left+textWidth(label, size) > width {
			t.Errorf("%s: %q reaches from %.0f to %.0f of %.0f pixels", name, label, left, left+textWidth(label, size), width)
		}
	}
	if labels < 3 {
		t.Errorf("%s: %d labels", name, labels)
	}
}

// A level distribution stays level at the point where the buckets of a
// histogram become twice as wide.
func TestBucketsOfTwoWidths(t *testing.T) {
	h := histogram.New()
	for v := range int64(2000) {
		h.RecordMany(v, 1000)
	}
	level := Series{Name: "level"}
	for _, b := range h.View(0, 1e-9).Buckets() {
		level.Values = append(level.Values, (b.Lo+b.Hi)/2)
		level.Widths = append(level.Widths, b.Hi-b.Lo)
		level.Counts = append(level.Counts, uint64(b.Count))
	}
	s, err := prepare(level)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]float64, 190)
	spreadBuckets(s, &axis{lo: 20e-9, hi: 1920e-9, to: 190}, counts)
	for i, n := range counts[1 : len(counts)-1] { // the first and last share buckets with values outside
		if math.Abs(n/10_000-1) > 0.02 {
			t.Errorf("around %d ns there are %.0f values, want 10,000", 35+10*i, n)
		}
	}
}

// A few values are ticks, not invented hills.
func TestFewValuesHaveNoCurve(t *testing.T) {
	for n, curve := range map[int]bool{1: false, 2: false, 9: false, 10: true, 60: true} {
		values := make([]float64, n)
		for i := range values {
			values[i] = 1e-6 * float64(10+i)
		}
		var b strings.Builder
		if err := Density(&b, Options{}, Series{Name: "few", Values: values}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "Z\" fill="); got != curve {
			t.Errorf("a curve of %d values: %v, want %v", n, got, curve)
		}
		if got := strings.Contains(b.String(), "no curve"); got == curve {
			t.Errorf("words about no curve of %d values: %v", n, got)
		}
	}
}

// Two modes are drawn with their true width, on either axis. The curve around
// one is at most a seventh wider than the values, not two to three times.
func TestTwoModesKeepTheirWidth(t *testing.T) {
	for _, test := range []struct{ a, b, spread float64 }{{1e-6, 1.8e-6, 0.05}, {15e-6, 1e-3, 0.1}, {15e-6, 1e-3, 0.05}} {
		r := rand.New(rand.NewPCG(5, 6))
		values := make([]float64, 4000)
		for i := range values {
			center := test.a
			if i%10 < 3 {
				center = test.b
			}
			values[i] = center * (1 + test.spread*r.NormFloat64())
		}
		s, err := prepare(Series{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		x, _ := densityAxis("sec", []*sample{s}, 0.995)
		const cells = 700
		sigma := x.share(test.a*(1+test.spread)) - x.share(test.a)
		curve := kernelDensity(s, x, cells)
		var n, sum, squares float64 // of the curve around the first mode
		for i, weight := range curve {
			if at := (float64(i) + 0.5) / cells; math.Abs(at-x.share(test.a)) < 4.5*sigma {
				n, sum, squares = n+weight, sum+weight*at, squares+weight*at*at
			}
		}
		if wide := math.Sqrt(squares/n-sum*sum/n/n) / sigma; wide > 1.15 || wide < 0.9 {
			t.Errorf("modes at %v and %v: the first is drawn %.2f times as wide as it is", test.a, test.b, wide)
		}
	}
}
