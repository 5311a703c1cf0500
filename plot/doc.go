// Package plot draws measurements as SVG pictures with the standard library
// alone.
//
// The pipeline: values in their base unit (see package unit) come as [Series],
// either in the order they were taken or as the buckets of a histogram;
// [RunOrder], [Density] and [Percentiles] draw one picture each and [All] the
// three on one page. Two sides of a comparison come as [Strip], drawn by
// [Strips] with the change and its interval against the ±δ band. A value that
// depends on a parameter comes as [Curve], drawn by [Sweep] on logarithmic
// axes with the power law that [FitPowerLaw] finds.
//
// Pictures follow the reader's light or dark scheme, use colors that
// color-blind readers can distinguish, dashes or other marks where they begin
// again, and stay below a few hundred kilobytes whatever the number of points:
// what is thinned out keeps its extremes. Each says how many values it shows.
// Titles and names are untrusted text and are escaped.
package plot
