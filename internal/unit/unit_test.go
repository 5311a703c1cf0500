package unit

import (
	"math"
	"testing"
)

func TestBase(t *testing.T) {
	for _, c := range []struct {
		in, base string
		factor   float64
	}{
		{"ns/op", "sec/op", 1e-9},
		{"MB/s", "B/s", 1e6},
		{"B/op", "B/op", 1},
		{"allocs/op", "allocs/op", 1},
		{"p99-ns/op", "p99-sec/op", 1e-9},
		{"widgets", "widgets", 1},
		{"ns/GC", "sec/GC", 1e-9},
	} {
		base, factor := Base(c.in)
		if base != c.base || factor != c.factor {
			t.Errorf("Base(%q) = %q, %g; want %q, %g", c.in, base, factor, c.base, c.factor)
		}
	}
}

func TestScaling(t *testing.T) {
	for _, c := range []struct {
		unit   string
		value  float64
		number string
		symbol string
	}{
		{"sec/op", 1.5e-9, "1.500", "ns"},
		{"sec/op", 0.25e-9, "0.2500", "ns"},
		{"sec/op", 37.91e-6, "37.91", "µs"},
		{"sec/op", 999.4e-3, "999.4", "ms"},
		{"sec/op", 2.5, "2.500", "s"},
		{"sec/op", 1234, "1234", "s"},
		{"B/op", 0, "0", "B"},
		{"B/op", 48, "48.00", "B"},
		{"B/op", 4096, "4096", "B"},
		{"B/op", -1e-9, "0.000000", "B"},
		{"live-B", 4096, "4.000", "KiB"},
		{"allocs/op", 1000, "1000", ""},
		{"allocs/op", 1.0 / 3, "0.3333", ""},
		{"allocs/op", 0.00137, "0.001370", ""},
		{"B/s", 1.5 * (1 << 30), "1.500", "GiB"},
		{"instructions/op", 195672, "195.7", "k"},
	} {
		s := Scaling(c.unit, c.value)
		if got := s.Format(c.value); got != c.number || s.Symbol != c.symbol {
			t.Errorf("Scaling(%q, %g): %q %q; want %q %q", c.unit, c.value, got, s.Symbol, c.number, c.symbol)
		}
	}
}

func TestBetter(t *testing.T) {
	if Better("sec/op") != LowerIsBetter || Better("B/s") != HigherIsBetter || Better("MB/s") != HigherIsBetter {
		t.Error("direction of a unit is wrong")
	}
}

func TestSplitAndPrinted(t *testing.T) {
	for _, c := range []struct {
		base, prefix, quantity, per string
		printed                     string
		factor                      float64
	}{
		{"sec/op", "", "sec", "/op", "ns/op", 1e9},
		{"p99-sec/op", "p99-", "sec", "/op", "p99-ns/op", 1e9},
		{"sec", "", "sec", "", "ns", 1e9},
		{"B/s", "", "B", "/s", "MB/s", 1e-6},
		{"B/op", "", "B", "/op", "B/op", 1},
		{"hits-per-run", "hits-per-", "run", "", "hits-per-run", 1},
		{"", "", "", "", "", 1},
	} {
		prefix, quantity, per := Split(c.base)
		if prefix != c.prefix || quantity != c.quantity || per != c.per {
			t.Errorf("Split(%q) = %q, %q, %q", c.base, prefix, quantity, per)
		}
		name, factor := Printed(c.base)
		if name != c.printed || factor != c.factor {
			t.Errorf("Printed(%q) = %q, %v", c.base, name, factor)
		}
		if back, f := Base(name); c.factor != 1 && (back != c.base || f*factor != 1) {
			t.Errorf("Base(Printed(%q)) = %q, %v", c.base, back, f)
		}
	}
}

func TestParsePercent(t *testing.T) {
	for text, want := range map[string]float64{"2%": 0.02, "0.02": 0.02, " 2 % ": 0.02, "0": 0, "99.5%": 0.995, "1e-3": 0.001, "100%": 1, "400%": 4} {
		if got, err := ParsePercent(text); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("ParsePercent(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "x", "-1%", "1", "3", "NaN", "Inf", "Inf%", "2%%"} {
		if got, err := ParsePercent(text); err == nil {
			t.Errorf("ParsePercent(%q) = %v, want an error", text, got)
		}
	}
}
