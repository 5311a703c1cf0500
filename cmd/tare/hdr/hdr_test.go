package hdr

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tarebench/tare/histogram"
)

var quantiles = []float64{0.01, 0.1, 0.5, 0.9, 0.99}

// near allows for the buckets of both formats: 1% of ours twice, and HDR's
// 0.1%.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.02*max(a, b)+1 }

func TestLogRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := histogram.New()
		h.RecordAll(rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 0, 200).Draw(t, "values"))
		start := time.UnixMilli(rapid.Int64Range(0, 1<<40).Draw(t, "start"))
		want := Interval{start, start.Add(1500 * time.Millisecond), rapid.SampledFrom([]string{"", "GET", "a=b"}).Draw(t, "tag"), h.View(0, 1)}
		var b bytes.Buffer
		if err := WriteLog(&b, want, want); err != nil {
			t.Fatal(err)
		}
		got, err := ReadLog(&b)
		if err != nil || len(got) != 2 {
			t.Fatalf("%d intervals, %v", len(got), err)
		}
		for _, g := range got {
			if g.Tag != want.Tag || g.Values.Count() != h.Count() {
				t.Errorf("tag %q, %d values, want %q, %d", g.Tag, g.Values.Count(), want.Tag, h.Count())
			}
			if d := g.Start.Sub(want.Start); d.Abs() > time.Millisecond {
				t.Errorf("starts %v late", d)
			}
			if d := g.End.Sub(want.End); d.Abs() > 2*time.Millisecond {
				t.Errorf("ends %v late", d)
			}
			for _, q := range quantiles {
				a, b := g.Values.Quantile(q), h.Quantile(q)
				if a.Needs != b.Needs || a.Needs == 0 && !near(a.Value, b.Value) {
					t.Errorf("%s: %v, want %v", a.Name(), a, b)
				}
			}
		}
	})
}

func TestPercentilesRoundTrip(t *testing.T) {
	h := histogram.New()
	for i := range int64(5000) {
		h.Record(i * i)
	}
	want := h.View(100, 0.01).NonNegative()
	var b bytes.Buffer
	if err := WritePercentiles(&b, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadPercentiles(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Count() != 5000 {
		t.Errorf("%d values", got.Count())
	}
	for _, q := range []float64{0.5, 0.75, 0.9, 0.99} {
		a, b := got.Quantile(q).Value, want.Quantile(q).Value
		// A row every tenth of a halving: quantiles are as fine as the rows.
		if math.Abs(a/b-1) > 0.05 {
			t.Errorf("p%v: %v, want %v", 100*q, a, b)
		}
	}
}

// Values beyond the range of either histogram are kept, or are an error: none
// is written as another value.
func TestGreatValues(t *testing.T) {
	h := histogram.New()
	const day = int64(24 * time.Hour)
	h.RecordAll([]int64{int64(time.Minute), day})
	v := h.View(0, 1)
	var table, log bytes.Buffer
	if err := errors.Join(WritePercentiles(&table, v), WriteLog(&log, Interval{Values: v})); err != nil {
		t.Fatal(err)
	}
	a, err := ReadPercentiles(&table)
	b, err2 := ReadLog(&log)
	if err != nil || err2 != nil || len(b) != 1 {
		t.Fatal(err, err2)
	}
	for name, got := range map[string]float64{"percentiles": a.Max(), "log": b[0].Values.Max()} {
		if math.Abs(got/float64(day)-1) > 0.001 {
			t.Errorf("%s: a day of %v ns is read as %v", name, day, got)
		}
	}
	h.Record(math.MaxInt64)
	if err := WritePercentiles(new(bytes.Buffer), h.View(0, 1)); err == nil || !strings.Contains(err.Error(), "the format ends") {
		t.Errorf("percentiles: %v", err)
	}
	if err := WriteLog(new(bytes.Buffer), Interval{Values: h.View(0, 1)}); err == nil || !strings.Contains(err.Error(), "the format ends") {
		t.Errorf("log: %v", err)
	}
	if err := WriteLog(new(bytes.Buffer), Interval{Values: h.View(0, math.NaN())}); err == nil {
		t.Error("NaN was written")
	}
}

func TestNegativeValues(t *testing.T) {
	h := histogram.New()
	h.RecordAll([]int64{-5, 3})
	if err := WritePercentiles(new(bytes.Buffer), h.View(0, 1)); err == nil || !strings.Contains(err.Error(), "below zero") {
		t.Errorf("percentiles: %v", err)
	}
	if err := WriteLog(new(bytes.Buffer), Interval{Values: h.View(0, 1)}); err == nil || !strings.Contains(err.Error(), "below zero") {
		t.Errorf("log: %v", err)
	}
	if err := WriteLog(new(bytes.Buffer), Interval{Tag: "a b", Values: histogram.New().View(0, 1)}); err == nil {
		t.Error("a tag with a space was written")
	}
}

func TestBadPercentiles(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"header only":    "Value Percentile TotalCount 1/(1-Percentile)\n",
		"no number":      "x 0.5 1 2\n",
		"negative":       "-1 0.5 1 2\n",
		"not a number":   "NaN 0.5 1 2\n",
		"too great":      "1e300 0.5 1 2\n",
		"counts go back": "1 0.5 10 2\n2 0.6 9 2\n",
	} {
		if _, err := ReadPercentiles(strings.NewReader(text)); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	if _, err := ReadPercentiles(strings.NewReader("")); !errors.Is(err, errNoTable) {
		t.Errorf("empty: %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrors(t *testing.T) {
	h := histogram.New()
	h.Record(5)
	if err := WritePercentiles(full{}, h.View(0, 1)); err == nil {
		t.Error("percentiles: no error")
	}
	if err := WriteLog(full{}, Interval{Values: h.View(0, 1)}); err == nil {
		t.Error("log: no error")
	}
}

func FuzzReadPercentiles(f *testing.F) {
	f.Add("Value Percentile TotalCount\n1.000 0.5 1 2.00\n2.000 1.0 2 inf\n#[Mean = 1]\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ReadPercentiles(strings.NewReader(text))
		if err == nil && v.Count() < 0 {
			t.Errorf("%d values", v.Count())
		}
	})
}

func FuzzReadLog(f *testing.F) {
	h := histogram.New()
	h.RecordAll([]int64{1, 2, 3000})
	var b bytes.Buffer
	if err := WriteLog(&b, Interval{Start: time.UnixMilli(1), End: time.UnixMilli(5), Tag: "x", Values: h.View(0, 1)}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add("#[StartTime: x\n")
	f.Fuzz(func(t *testing.T, text string) {
		intervals, err := ReadLog(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, i := range intervals {
			if i.Values.Count() < 0 {
				t.Errorf("%d values", i.Values.Count())
			}
		}
	})
}
