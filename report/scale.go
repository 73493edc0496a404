package report

import "fabricast/internal/humanize"

// Figures are rounded to four significant digits; exact values are in the JSON.

// Time formats a simulated time in ps with a suitable unit, such as "57.27 us".
func Time[T ~int64](ps T) string { return humanize.Time(ps) }

// Seconds formats a time in seconds, such as wall-clock time.
func Seconds(s float64) string { return humanize.Seconds(s) }

// Rate formats a bandwidth in bytes/s.
func Rate(v float64) string { return humanize.Rate(v) }

// Memory formats an amount of memory in bytes, with units that are powers of two.
func Memory[T ~int64](n T) string { return humanize.Memory(n) }

// Size formats an amount of data in bytes, with units that are powers of ten.
func Size[T ~int64](n T) string { return humanize.Size(n) }

// Percent formats a fraction as a percentage.
func Percent(v float64) string { return humanize.Percent(v) }

// Count formats an integer with thousands separators.
func Count[T ~int | ~int64](n T) string { return humanize.Count(n) }

func significant(v float64) string { return humanize.Significant(v) }
