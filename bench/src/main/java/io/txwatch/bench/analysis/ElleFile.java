package io.txwatch.bench.analysis;

import io.txwatch.bench.analysis.TwoPhaseLockingSimulation.Operation;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes a simulation as Elle's list-append EDN. A list is the text of its elements. */
final class ElleFile implements TwoPhaseLockingSimulation.Recorder<String>, Closeable {

  private final BufferedWriter out;
  private final List<List<Operation>> invoked = new ArrayList<>();
  private final List<StringBuilder> values = new ArrayList<>();
  private long index;

  ElleFile(Path file) throws IOException {
    out = Files.newBufferedWriter(file);
    for (int i = 0; i < TwoPhaseLockingSimulation.SESSIONS; i++) {
      invoked.add(List.of());
      values.add(new StringBuilder());
    }
  }

  @Override
  public String empty() {
    return "";
  }

  @Override
  public void began(int session, long transaction, List<Operation> operations) throws IOException {
    invoked.set(session, operations);
    values.get(session).setLength(0);
    line("invoke", session, planned(operations));
  }

  @Override
  public void read(int session, long transaction, int position, int key, String list) {
    values.get(session).append("[:r ").append(key).append(" [").append(list).append("]] ");
  }

  @Override
  public String append(
      int session, long transaction, int position, Operation operation, String list) {
    values.get(session).append(text(operation)).append(' ');
    return list.isEmpty() ? "" + operation.element() : list + " " + operation.element();
  }

  @Override
  public void ended(int session, long transaction, boolean committed) throws IOException {
    if (committed) {
      line("ok", session, values.get(session));
    } else {
      line("fail", session, planned(invoked.get(session)));
    }
  }

  private static StringBuilder planned(List<Operation> operations) {
    StringBuilder text = new StringBuilder();
    for (Operation operation : operations) {
      text.append(text(operation)).append(' ');
    }
    return text;
  }

  private static String text(Operation operation) {
    return operation.append()
        ? "[:append " + operation.key() + " " + operation.element() + "]"
        : "[:r " + operation.key() + " nil]";
  }

  private void line(String type, int process, StringBuilder value) throws IOException {
    out.write("{:type :" + type + ", :f :txn, :value [");
    out.write(value.toString().strip());
    out.write("], :process " + process + ", :time " + index + ", :index " + index + "}\n");
    index++;
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
