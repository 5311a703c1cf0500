package drawing_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/drawing"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

// laps is a plausible run: warm-up, ticks of 10 ns, collections, drift.
func laps(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for i := range out {
		v := 240 + 12*r.NormFloat64() + 8*math.Sin(float64(i)/float64(n)*6)
		v += 300 * math.Exp(-float64(i)/float64(n)*120)
		if r.Float64() < 0.004 {
			v += 2000 * r.ExpFloat64()
		}
		out[i] = math.Round(v/10) * 10 * 1e-9
	}
	return out
}

// around is n values about center with a relative spread.
func around(n int, centre, spread float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 2))
	out := make([]float64, n)
	for i := range out {
		out[i] = centre * math.Exp(spread*r.NormFloat64())
		if r.IntN(20) == 0 {
			out[i] *= 1 + 3*spread*r.ExpFloat64()
		}
	}
	return out
}

func strips() []drawing.Strip {
	nan := math.NaN()
	return []drawing.Strip{
		{Name: "Encode/size=1k", Unit: "sec/op", Old: around(200, 1.21e-6, 0.01, 1), New: around(200, 1.17e-6, 0.01, 2), Ratio: 0.967, Lo: 0.958, Hi: 0.975, Verdict: "faster"},
		{Name: "Encode/size=64k", Unit: "sec/op", Old: around(200, 61e-6, 0.012, 3), New: around(200, 64e-6, 0.02, 4), Ratio: 1.048, Lo: 1.031, Hi: 1.066, Verdict: "slower"},
		{Name: "Decode", Unit: "sec/op", Old: around(200, 4.4e-6, 0.02, 5), New: around(200, 4.41e-6, 0.02, 6), Ratio: 1.002, Lo: 0.991, Hi: 1.011, Verdict: "same"},
		{Name: "Walk", Unit: "sec/op", Old: around(40, 3e-3, 0.08, 7), New: around(40, 3.05e-3, 0.09, 8), Ratio: 1.015, Lo: 0.962, Hi: 1.071, Verdict: "undecided"},
		{Name: "Cache<script>alert(1)</script>/" + strings.Repeat("long", 30), Unit: "sec/op", Old: around(50, 2e-8, 0.05, 9), New: around(50, 9e-8, 0.05, 10), Ratio: 4.5, Lo: 4.3, Hi: 4.7, Verdict: "slower"},
		{Name: "OnlyNew", Unit: "B/s", New: around(50, 3e8, 0.05, 11), Ratio: nan, Lo: nan, Hi: nan, Verdict: "failed"},
	}
}

// pictures are one of each kind, as golden files.
func pictures() map[string]func(io.Writer) error {
	few := drawing.Series{Name: "strconv.AppendInt", Values: laps(400, 1)}
	many := drawing.Series{Name: "fmt.Sprintf", Values: laps(200_000, 2)}
	old, fresh := drawing.Series{Name: "main", Values: around(600, 3.1e-6, 0.02, 5)}, drawing.Series{Name: "mine", Values: around(600, 2.9e-6, 0.03, 6)}
	buckets := drawing.Series{Name: "histogram"}
	for i := range 400 {
		v := 100e-9 * math.Pow(1.02, float64(i))
		buckets.Values = append(buckets.Values, v)
		buckets.Counts = append(buckets.Counts, uint64(1e7*math.Exp(-math.Pow(math.Log(v/400e-9), 2)*2)))
	}
	o := drawing.Options{Title: "fmt.Sprintf, every lap"}
	return map[string]func(io.Writer) error{
		"order-few.svg":  func(w io.Writer) error { return drawing.RunOrder(w, drawing.Options{}, few) },
		"order-many.svg": func(w io.Writer) error { return drawing.RunOrder(w, o, many) },
		"density-two.svg": func(w io.Writer) error {
			return drawing.Density(w, drawing.Options{Title: "Parse", Unit: "sec/op"}, old, fresh)
		},
		"percentiles.svg": func(w io.Writer) error { return drawing.Percentiles(w, o, many, few) },
		"all.svg":         func(w io.Writer) error { return drawing.All(w, o, many) },
		"all-two.svg": func(w io.Writer) error {
			return drawing.All(w, drawing.Options{Title: "Parse", Unit: "sec/op"}, old, fresh)
		},
		"all-buckets.svg": func(w io.Writer) error { return drawing.All(w, drawing.Options{Title: "From a histogram"}, buckets) },
		"strips.svg": func(w io.Writer) error {
			return drawing.Strips(w, drawing.StripOptions{Title: "mine against main", Old: "main", New: "mine", Delta: 0.02}, strips()...)
		},
	}
}

func TestPictures(t *testing.T) {
	for name, draw := range pictures() {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := draw(&b); err != nil {
				t.Fatal(err)
			}
			wellFormed(t, b.Bytes())
			if b.Len() > 300<<10 {
				t.Errorf("%d bytes: a picture stays below 300 KiB", b.Len())
			}
			file := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !samePicture(want, b.Bytes()) {
				t.Errorf("%s changed: look at it, then go test ./plot -update", file)
			}
		})
	}
}

// samePicture compares bytes. CPUs other than the CPU of the golden files may
// fuse a multiplication with an addition, which rounds once instead of twice. A
// coordinate may then be off by its last digit, a tenth of a pixel.
func samePicture(want, got []byte) bool {
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "386" {
		return bytes.Equal(want, got)
	}
	number := regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)
	a, b := number.FindAll(want, -1), number.FindAll(got, -1)
	return bytes.Equal(number.ReplaceAll(want, nil), number.ReplaceAll(got, nil)) && slices.EqualFunc(a, b, func(a, b []byte) bool {
		x, errX := strconv.ParseFloat(string(a), 64)
		y, errY := strconv.ParseFloat(string(b), 64)
		return errX == nil && errY == nil && math.Abs(x-y) < 0.101
	})
}

// wellFormed parses the picture and rejects numbers that are not finite.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			if e.Name.Local == "script" {
				t.Error("a script element")
			}
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// TestStrangeValues draws values that real measurements may contain: one value,
// equal values, zeros, negative values, NaN, the greatest floats.
func TestStrangeValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, values := range map[string][]float64{
		"one": {1e-9}, "equal": {5, 5, 5, 5}, "zeros": {0, 0, 0}, "zero and one": {0, 1},
		"negative": {-3, -1, 4}, "with NaN": {1, nan, inf, 2, -inf}, "tiny": {5e-324, 1e-323},
		"huge": {1e190, 1e199, 1e308}, "close": {1, math.Nextafter(1, 2)}, "wide": {1e-12, 1, 1e12},
		"far tail": append(around(500, 1e-6, 0.01, 1), 100),
	} {
		t.Run(name, func(t *testing.T) {
			s := drawing.Series{Name: name, Values: values}
			for _, u := range []string{"", "B/op", "allocs/op", "B/s"} {
				var b bytes.Buffer
				if err := drawing.All(&b, drawing.Options{Unit: u}, s, s); err != nil {
					t.Fatal(err)
				}
				wellFormed(t, b.Bytes())
			}
			var b bytes.Buffer
			row := drawing.Strip{Name: name, Unit: "sec/op", Old: values, New: values, Ratio: values[0], Lo: values[0], Hi: values[len(values)-1]}
			if err := drawing.Strips(&b, drawing.StripOptions{Old: "a", New: "b"}, row); err != nil {
				t.Fatal(err)
			}
			for _, svg := range bytes.SplitAfter(b.Bytes(), []byte("</svg>\n")) {
				if len(svg) > 0 {
					wellFormed(t, svg)
				}
			}
		})
	}
}

func TestNothingToDraw(t *testing.T) {
	empty := drawing.Series{Name: "empty", Values: []float64{math.NaN()}}
	for name, draw := range map[string]func(io.Writer, drawing.Options, ...drawing.Series) error{
		"RunOrder": drawing.RunOrder, "Density": drawing.Density, "Percentiles": drawing.Percentiles, "All": drawing.All,
	} {
		if err := draw(io.Discard, drawing.Options{}, empty); !errors.Is(err, drawing.ErrNoValues) {
			t.Errorf("%s of no values: %v", name, err)
		}
	}
	buckets := drawing.Series{Name: "buckets", Values: []float64{1, 2}, Counts: []uint64{3, 4}}
	if err := drawing.All(io.Discard, drawing.Options{}, empty, buckets); err != nil {
		t.Errorf("All of an empty series and a histogram: %v", err)
	}
	bad := drawing.Series{Name: "bad", Values: []float64{1, 2}, Counts: []uint64{1}}
	if err := drawing.All(io.Discard, drawing.Options{}, bad); err == nil {
		t.Error("two values with one count were drawn")
	}
	if err := drawing.Strips(io.Discard, drawing.StripOptions{}); !errors.Is(err, drawing.ErrNoValues) {
		t.Errorf("Strips of nothing: %v", err)
	}
}

// TestFarApart: if benchmarks take nanoseconds and milliseconds, a linear axis
// would show only the slow one.
func TestFarApart(t *testing.T) {
	for apart, want := range map[float64]int{2: 0, 1e6: 3} {
		var b bytes.Buffer
		if err := drawing.All(&b, drawing.Options{Unit: "sec/op"}, drawing.Series{Values: around(100, 5e-9, 0.01, 1)}, drawing.Series{Values: around(100, apart*5e-9, 0.01, 2)}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "logarithmic axis"); got != want {
			t.Errorf("%g times apart, %d of 3 axes are logarithmic, want %d", apart, got, want)
		}
	}
}

// TestExtremesSurvive hides one slow lap among half a million.
func TestExtremesSurvive(t *testing.T) {
	values := make([]float64, 500_000)
	for i := range values {
		values[i] = 100e-9
	}
	values[333_333] = 900e-9
	draw := func() string {
		var b bytes.Buffer
		if err := drawing.RunOrder(&b, drawing.Options{}, drawing.Series{Values: values}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	with := draw()
	values[333_333] = 100e-9
	values[1] = 900e-9 // the same axes, with the extreme elsewhere
	if without := draw(); with == without {
		t.Error("one slow lap of 500,000 does not show")
	}
}

func TestNamesAreText(t *testing.T) {
	evil := `</title><script>alert("x")</script>&` + "\x1b[2J\u202e\x00"
	for _, draw := range []func(io.Writer) error{
		func(w io.Writer) error {
			return drawing.All(w, drawing.Options{Title: evil, Unit: evil}, drawing.Series{Name: evil, Values: laps(50, 1)}, drawing.Series{Name: evil, Values: laps(50, 2)})
		},
		func(w io.Writer) error {
			return drawing.Strips(w, drawing.StripOptions{Title: evil, Old: evil, New: evil}, drawing.Strip{Name: evil, Verdict: evil, Unit: evil, Ratio: 1, Lo: 1, Hi: 1, Old: laps(50, 1)})
		},
	} {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, b.Bytes())
		if s := b.String(); strings.Contains(s, "<script") || strings.ContainsAny(s, "\x1b\x00\u202e") {
			t.Error("an untrusted name reached the picture unescaped")
		}
	}
}

func BenchmarkAll(b *testing.B) {
	for _, n := range []int{5_000, 5_000_000} {
		values := laps(n, 1)
		b.Run(fmt.Sprintf("laps=%d", n), func(b *testing.B) {
			for b.Loop() {
				if err := drawing.All(io.Discard, drawing.Options{}, drawing.Series{Values: values}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
