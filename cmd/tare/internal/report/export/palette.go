package export

import (
	"cmp"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"slices"
)

// EncodePNG writes a picture of lines and text in at most 256 colors, those
// that it has most of: a third of the size, and no difference to the eye.
func EncodePNG(w io.Writer, full *image.RGBA) error {
	count := make(map[color.RGBA]int)
	each(full, func(_, n int, c color.RGBA) { count[c] += n })
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B), int(a.A)-int(b.A))
	})
	var palette color.Palette
	for _, c := range colors[:min(256, len(colors))] {
		palette = append(palette, c)
	}
	index := make(map[color.RGBA]uint8, len(colors))
	for _, c := range colors {
		index[c] = uint8(palette.Index(c))
	}
	few := image.NewPaletted(full.Rect, palette)
	each(full, func(i, n int, c color.RGBA) {
		for p, v := i, index[c]; p < i+n; p++ {
			few.Pix[p] = v
		}
	})
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if len(few.Pix) > manyPixels {
		encoder.CompressionLevel = png.DefaultCompression
	}
	return encoder.Encode(w, few)
}

// manyPixels is a picture of some hundred benchmarks, of which the best
// compression takes seconds.
const manyPixels = 8 << 20

// each calls do with every run of n pixels of one color that begins at pixel i,
// row by row.
func each(m *image.RGBA, do func(i, n int, c color.RGBA)) {
	width := m.Rect.Dx()
	for y := range m.Rect.Dy() {
		row := m.Pix[y*m.Stride:][:4*width]
		for x := 0; x < width; {
			c := color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}
			from := x
			for x++; x < width && c == (color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}); {
				x++
			}
			do(y*width+from, x-from, c)
		}
	}
}
