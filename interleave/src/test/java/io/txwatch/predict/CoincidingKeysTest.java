package io.txwatch.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.KeyValues;
import io.txwatch.history.Outcome;
import io.txwatch.history.RecordedValue;
import io.txwatch.history.StatementKind;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.rules.Promise;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The keys of a candidate's operations become equal where its cycle needs that. */
class CoincidingKeysTest {

  private final TemplateCollector collector = new TemplateCollector();
  private long transactions;
  private int statements;

  private void begin(String name) {
    transactions++;
    statements = 0;
    collector.accept(
        new Event.TransactionBegan(1, transactions, IsolationLevel.READ_COMMITTED, 0, name));
  }

  private void execute(
      String sql, String columns, long key, List<Object> parameters, String label, Object... rows) {
    statements++;
    StatementKind kind = StatementKind.valueOf(sql.substring(0, sql.indexOf(' ')));
    List<KeyValues> keys =
        key == 0 ? List.of() : List.of(new KeyValues("doctor", "id", List.of(key)));
    collector.accept(
        new Event.StatementExecuted(
            1,
            transactions,
            statements,
            kind,
            sql,
            "",
            List.of(),
            true,
            null,
            List.of(),
            columns,
            keys));
    collector.accept(
        new Event.ValuesRecorded(
            1,
            transactions,
            statements,
            sql,
            parameters.stream().map(RecordedValue::of).toList(),
            kind == StatementKind.SELECT ? -1 : 1,
            label.isEmpty() ? List.of() : List.of(label),
            Arrays.stream(rows).map(row -> List.of(RecordedValue.of(row))).toList(),
            true));
  }

  private void commit() {
    collector.accept(new Event.TransactionEnded(1, transactions, Outcome.COMMITTED, 0));
  }

  private void signOff(int shift, int doctor) {
    begin("signOff");
    execute(
        "SELECT id FROM doctor WHERE shift_id = ?",
        "doctor read=id,shift_id,on_call predicate=shift_id,on_call",
        0,
        List.of(shift),
        "id",
        2 * shift - 1,
        2 * shift);
    execute(
        "UPDATE doctor SET on_call = 0 WHERE id = ?",
        "doctor read=id predicate=id written=on_call key=id",
        doctor,
        List.of(doctor),
        "");
    commit();
  }

  private List<ProofInstance> observed(RaceCandidate candidate, int first, int second) {
    List<OperationSample> samples = collector.operations().get(0).samples();
    List<ProofInstance> instances = new ArrayList<>();
    for (int index : new int[] {first, second}) {
      OperationSample sample = samples.get(index);
      OperationTemplate template = candidate.operations().get(0);
      instances.add(
          new ProofInstance(
              template, sample, ValueOrigins.of(template, sample, samples, false), Map.of()));
    }
    return instances;
  }

  private static String arguments(ProofInstance instance) {
    return instance.value(new Place(0, 0)).text() + " " + instance.value(new Place(1, 1)).text();
  }

  @Test
  void anOperationChoosesAnotherOfTheRowsThatItHasRead() {
    signOff(1, 1);
    signOff(2, 3);
    RaceCandidate candidate =
        CandidateSearch.search(collector.templates(), Promise.Kind.SNAPSHOT).candidates().get(0);
    assertThat(candidate.operations())
        .extracting(OperationTemplate::name)
        .containsExactly("signOff", "signOff");
    List<ProofInstance> same =
        CoincidingKeys.of(candidate, observed(candidate, 1, 1), true, true).orElseThrow();
    assertThat(same).extracting(CoincidingKeysTest::arguments).containsExactly("2 3", "2 4");
    List<ProofInstance> unchanged =
        CoincidingKeys.of(candidate, observed(candidate, 1, 1), false, true).orElseThrow();
    assertThat(unchanged).extracting(CoincidingKeysTest::arguments).containsExactly("2 3", "2 3");
  }
}
