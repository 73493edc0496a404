package fabricast

import "fabricast/internal/units"

// Time is a span or an instant of simulated time in picoseconds.
type Time = units.Time

// Lengths of time.
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

// Fraction is a share of a whole in units of 10^-9.
type Fraction = units.Fraction

// Shares.
const (
	Percent = units.Percent
	Whole   = units.Whole
)

// Rate is a bandwidth in bytes a second.
type Rate = units.Rate

// Bandwidths.
const (
	BytePerSecond = units.BytePerSecond
	MBPerSecond   = units.MBPerSecond
	GBPerSecond   = units.GBPerSecond
)
