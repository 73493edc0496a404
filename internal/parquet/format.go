package parquet

// magic is the marker at the beginning and the end of a file.
const magic = "PAR1"

// Kind is the type of a column.
type Kind uint8

// Values of Kind: the numbers of the format's physical types. Other types cannot be read.
const (
	Bool   Kind = 0
	Int32  Kind = 1
	Int64  Kind = 2
	Float  Kind = 4
	Double Kind = 5
	Text   Kind = 6
)

// Coding selects how the values of a column are encoded when it is written.
type Coding uint8

// Values of Coding.
const (
	Plain      Coding = iota
	Dictionary        // for Text: each different value is stored once
	// for integers: differences of adjacent values, for columns that change little from row to row
	Delta
)

// Column describes a column.
type Column struct {
	Name     string
	Kind     Kind
	Bits     int8 // size of an integer in Go: 8, 16, 32 or 64; 0: not stated
	Optional bool // whether it may be null
	Coding   Coding
}

// Encodings of the format.
const (
	encodePlain           = 0
	encodePlainDictionary = 2
	encodeRLE             = 3
	encodeDelta           = 5
	encodeDeltaLength     = 6
	encodeDictionary      = 8
)

// Types of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

// Codecs of the format that this package supports.
const (
	codecNone = 0
	codecZstd = 6
)

// Numbers of the format's logical and converted types, and of repetition.
const (
	logicalText    = 1
	logicalInteger = 10
	convertedText  = 0
	convertedInt8  = 15 // and for 16, 32 and 64 bits the next ones

	required = 0
	optional = 1
)
