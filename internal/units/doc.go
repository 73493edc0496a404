// Package units holds the physical units in which experiments are written:
// times, sizes and rates, kept as integers and converted without rounding.
//
// Units are case-exact, because case carries meaning: b is a bit and B a byte,
// k, M, G, T are powers of ten and Ki, Mi, Gi, Ti powers of two. A number
// without a unit is refused, except 0, so that no reader has to guess one. A
// quantity that is not a whole number of its base unit is refused too.
//
// In JSON the types are plain numbers of their base unit.
//
// To add a unit, add a line to the table of its quantity.
package units
