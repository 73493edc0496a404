// Package plot draws curves as SVG: a title, axes with units, one line with its own
// marker for each series, and a legend. Colours are those of Okabe and Ito (Color
// Universal Design, 2008), which colour-blind readers can distinguish; markers do
// series apart without any colour.
package plot
