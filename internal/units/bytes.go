package units

// Bytes is an amount of data in bytes.
type Bytes int64

// Units of data.
const (
	Byte Bytes = 1
	KB         = 1000 * Byte
	MB         = 1000 * KB
	GB         = 1000 * MB
	TB         = 1000 * GB
	KiB        = 1024 * Byte
	MiB        = 1024 * KiB
	GiB        = 1024 * MiB
	TiB        = 1024 * GiB
)

var sizes = quantity{
	expected: "a size such as 8KiB",
	base:     "bytes",
	units: []unit{
		{symbol: "B", num: 1, den: 1},
		{symbol: "kB", num: int64(KB), den: 1},
		{symbol: "KiB", num: int64(KiB), den: 1},
		{symbol: "MB", num: int64(MB), den: 1},
		{symbol: "MiB", num: int64(MiB), den: 1},
		{symbol: "GB", num: int64(GB), den: 1},
		{symbol: "GiB", num: int64(GiB), den: 1},
		{symbol: "TB", num: int64(TB), den: 1},
		{symbol: "TiB", num: int64(TiB), den: 1},
		{symbol: "b", num: 1, den: 8, input: true},
		{symbol: "kb", num: int64(KB), den: 8, input: true},
		{symbol: "Mb", num: int64(MB), den: 8, input: true},
		{symbol: "Gb", num: int64(GB), den: 8, input: true},
		{symbol: "Tb", num: int64(TB), den: 8, input: true},
	},
	spelling: map[string][]string{
		"KB": {"kB", "KiB"},
		"K":  {"kB", "KiB"}, "k": {"kB", "KiB"}, "Kb": {"kb", "KiB"}, "Ki": {"KiB"}, "kiB": {"KiB"},
		"M": {"MB", "MiB"}, "Mi": {"MiB"}, "mb": {"MB", "MiB"}, "m": {"MB", "MiB"},
		"G": {"GB", "GiB"}, "Gi": {"GiB"}, "gb": {"GB", "GiB"}, "g": {"GB", "GiB"},
		"byte": {"B"}, "bytes": {"B"}, "bit": {"b"}, "bits": {"b"},
	},
}

// ParseBytes parses a size such as 8KiB. The error is an *Error.
func ParseBytes(text string) (Bytes, error) {
	v, err := sizes.parse(text)
	return Bytes(v), err
}

// String formats the size exactly, in the form that ParseBytes reads.
func (b Bytes) String() string { return sizes.signed(int64(b)) }

// MarshalYAML writes the value with its unit, as a person would.
func (b Bytes) MarshalYAML() (any, error) { return b.String(), nil }

// Set parses the value from text.
func (b *Bytes) Set(text string) (err error) {
	*b, err = ParseBytes(text)
	return err
}
