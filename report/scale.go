package report

import "fabricast/internal/figures"

// Figures are rounded to four significant digits; exact values are in the JSON.

// Time shows a time in ps.
func Time[T ~int64](ps T) string { return figures.Time(ps) }

// Seconds shows a time in seconds, such as one of the wall clock.
func Seconds(s float64) string { return figures.Seconds(s) }

// Rate shows bytes a second.
func Rate(v float64) string { return figures.Rate(v) }

// Memory shows an amount of memory, in powers of two.
func Memory[T ~int64](n T) string { return figures.Memory(n) }

// Size shows an amount of data, in powers of ten.
func Size[T ~int64](n T) string { return figures.Size(n) }

// Percent shows a fraction.
func Percent(v float64) string { return figures.Percent(v) }

// Count shows a whole number with its thousands apart.
func Count[T ~int | ~int64](n T) string { return figures.Count(n) }

func significant(v float64) string { return figures.Significant(v) }
