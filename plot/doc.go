// Package plot draws curves as SVG: a title, axes with units, one line with its own marker for each
// series, and a legend. The colours are those of Okabe and Ito (Color Universal Design, 2008),
// which colour-blind readers can distinguish. The markers distinguish series even without colour.
package plot
