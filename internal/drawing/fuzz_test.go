package drawing_test

import (
	"encoding/binary"
	"encoding/xml"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/drawing"
)

// No values, options or sizes make a picture panic, and every picture is XML.
func FuzzPictures(f *testing.F) {
	many := make([]byte, 8*9000)
	for i := 0; i < len(many); i += 8 {
		binary.LittleEndian.PutUint64(many[i:], math.Float64bits(float64(i*i%7919)))
	}
	f.Add(many, 3, 800, 200, "sec/op", false)
	f.Add(many, 14, -1, 1, "", true)
	f.Add(many[:80], 1, 1<<30, 1<<30, "B/op", true)
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\xf0\x7f\x01\x00\x00\x00\x00\x00\x00\x00"), 2, 240, 120, "\x00<&", false)
	var far []byte // ratios beyond a float64
	for _, v := range []float64{1e-199, 1e-150, 1e-100, 1, 1e100, 1e150, 1e199, 5e-324, 1e-310} {
		far = binary.LittleEndian.AppendUint64(far, math.Float64bits(v))
	}
	f.Add(far, 0, 800, 200, "sec/op", false)
	f.Add(far, 2, 800, 200, "sec/op", true)
	f.Fuzz(func(t *testing.T, data []byte, series, width, height int, unit string, counted bool) {
		all := make([]drawing.Series, 1+int(uint(series)%16))
		for i := 0; len(data) >= 8; i, data = i+1, data[8:] {
			bits := binary.LittleEndian.Uint64(data)
			s := &all[i%len(all)]
			s.Values = append(s.Values, math.Float64frombits(bits))
			if counted {
				s.Counts = append(s.Counts, bits%1000)
			}
		}
		o := drawing.Options{Title: unit, Unit: unit, Width: width, Height: height}
		draw := func(name string, to func(io.Writer) error) {
			var b strings.Builder
			if to(&b) != nil {
				return // nothing to draw
			}
			decoder := xml.NewDecoder(strings.NewReader(b.String()))
			for {
				if _, err := decoder.Token(); err == io.EOF {
					return
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		draw("All", func(w io.Writer) error { return drawing.All(w, o, all...) })
		draw("RunOrder", func(w io.Writer) error { return drawing.RunOrder(w, o, all...) })
		draw("Density", func(w io.Writer) error { return drawing.Density(w, o, all...) })
		draw("Percentiles", func(w io.Writer) error { return drawing.Percentiles(w, o, all...) })
		var rows []drawing.Strip
		for i, s := range all {
			row := drawing.Strip{Name: unit, Unit: unit, Old: s.Values, New: all[len(all)-1-i].Values}
			if len(s.Values) > 2 {
				row.Ratio, row.Lo, row.Hi = s.Values[0], s.Values[1], s.Values[2]
			}
			rows = append(rows, row)
		}
		draw("Strips", func(w io.Writer) error {
			return drawing.Strips(w, drawing.StripOptions{Delta: 0.02}, rows...)
		})
	})
}

// A picture of a small requested size still has space for its panels.
func TestSmallPictures(t *testing.T) {
	values := make([]float64, 20_000)
	for i := range values {
		values[i] = 1e-6 * float64(1+i%97)
	}
	for _, height := range []int{1, 20, 80, 120, 200, 234, 235, 400} {
		for _, width := range []int{0, 1, 240, 800} {
			o := drawing.Options{Width: width, Height: height}
			if err := drawing.All(io.Discard, o, drawing.Series{Name: "small", Values: values}); err != nil {
				t.Errorf("%d × %d: %v", width, height, err)
			}
		}
	}
}
