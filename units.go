package fabricast

import "fabricast/internal/units"

// Time is a duration or a point of simulated time, in picoseconds.
type Time = units.Time

// Durations.
const (
	Picosecond  = units.Picosecond
	Nanosecond  = units.Nanosecond
	Microsecond = units.Microsecond
	Millisecond = units.Millisecond
	Second      = units.Second
)

// Bytes is an amount of data in bytes.
type Bytes = units.Bytes

// Amounts of data.
const (
	Byte = units.Byte
	KB   = units.KB
	MB   = units.MB
	GB   = units.GB
	KiB  = units.KiB
	MiB  = units.MiB
	GiB  = units.GiB
)

// Fraction is a fraction of a whole, in units of 10^-9.
type Fraction = units.Fraction

// Fractions.
const (
	Percent = units.Percent
	Whole   = units.Whole
)

// Rate is a bandwidth in bytes per second.
type Rate = units.Rate

// Bandwidths.
const (
	BytePerSecond = units.BytePerSecond
	MBPerSecond   = units.MBPerSecond
	GBPerSecond   = units.GBPerSecond
)

// PerByte is a time per byte, in femtoseconds.
type PerByte = units.PerByte

// Span is a duration, or a fraction of another duration.
type Span = units.Span
