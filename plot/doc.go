// Package plot draws latencies and other measurements as SVG pictures. It
// depends on the standard library alone.
//
// A [Series] has values in their base unit, in the order in which they were
// taken, or the buckets of a histogram. [RunOrder], [Density] and [Percentiles]
// draw one picture each, and [All] draws the three on one page.
//
// Pictures follow the light or dark scheme of the reader and use colors that
// color-blind readers can distinguish. A picture stays below a few hundred
// kilobytes for any number of points: if it omits points, it keeps the
// extremes. Titles and names are escaped.
package plot
