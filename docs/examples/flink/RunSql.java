import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ResultKind;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/**
 * Runs the statements of a file in this process and prints each change of the query result as a line of JSON (docs/guides/flink.md).
 * For Java 17:
 *
 *     mvn -q compile dependency:copy-dependencies
 *     java -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp 'target/classes:target/lib/*' RunSql statements.sql
 */
final class RunSql {
  private RunSql() {}

  public static void main(String[] args) throws Exception {
    // UTF-8, because names have letters that the default encoding may lack.
    PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    tables.getConfig().set("parallelism.default", "1");
    for (String statement : Files.readString(Path.of(args[0])).split(";\\s*(\\n|$)")) {
      if (statement.isBlank()) continue;
      TableResult result = tables.executeSql(statement);
      if (result.getResultKind() == ResultKind.SUCCESS_WITH_CONTENT) print(result, out);
    }
  }

  private static void print(TableResult result, PrintStream out) throws Exception {
    ObjectMapper json = new ObjectMapper();
    try (CloseableIterator<Row> rows = result.collect()) {
      while (rows.hasNext()) {
        Row row = rows.next();
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("change", row.getKind().shortString());
        for (String name : row.getFieldNames(true)) line.put(name, row.getField(name));
        out.println(json.writeValueAsString(line));
      }
    }
  }
}
