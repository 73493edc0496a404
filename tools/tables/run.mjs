// Runs an example of docs/formats/result.md, which comes on standard input, in the current folder.
//
//   node run.mjs sql       a query, by DuckDB; prints its rows as JSON, a line each
//   node run.mjs csv FILE  converts a Parquet file to CSV on standard output, by DuckDB
//   node run.mjs polars    Python for Polars whose calls exist in Polars for Node by the same names in camel case
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
