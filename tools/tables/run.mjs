// Reads an example of docs/formats/result.md from standard input, and runs it in the current folder.
//
//   node run.mjs sql       runs an SQL query with DuckDB, and prints each row of the result as a line of JSON
//   node run.mjs csv FILE  converts the Parquet file FILE to CSV on standard output, with DuckDB; reads no example
//   node run.mjs polars    runs Python code for Polars with Polars for Node. It translates the names of functions
//                          to camel case, so Polars for Node must have the same functions under these names
import { readFileSync } from "node:fs";

const [what, file] = process.argv.slice(2);

async function query(text) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return connection.runAndReadAll(text);
}

if (what === "sql") {
  const result = await query(readFileSync(0, "utf8"));
  const plain = (_, v) => (typeof v === "bigint" ? Number(v) : v);
  for (const row of result.getRowObjectsJS()) console.log(JSON.stringify(row, plain));
} else if (what === "csv") {
  await query(`COPY (SELECT * FROM '${file}') TO '/dev/stdout' (FORMAT csv, HEADER)`);
} else {
  const { default: pl } = await import("nodejs-polars");
  const camel = (text) => text.replace(/([a-z])_([a-z])(?=[a-z_]*\()/g, (_, a, b) => a + b.toUpperCase());
  const lines = readFileSync(0, "utf8").split("\n").filter((line) => !line.startsWith("import "));
  const script = lines.map((line) => camel(line).replace(/^(\w+) = /, "var $1 = ").replace(/\bprint\(/g, "console.log(")).join("\n");
  new Function("pl", script)(pl);
}
