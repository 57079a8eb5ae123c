package io.txwatch.interleave.provoke;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The races that are sought, found by their statements. */
final class SoughtRaces {

  static final SoughtRaces NONE = new SoughtRaces(List.of());

  private final List<SoughtRace> all;
  private final Map<String, List<SoughtRace>> byRead;
  private final Map<String, List<SoughtRace>> byWrite;

  SoughtRaces(List<SoughtRace> all) {
    this.all = List.copyOf(all);
    this.byRead = by(SoughtRace::read);
    this.byWrite = by(SoughtRace::write);
  }

  private Map<String, List<SoughtRace>> by(Function<SoughtRace, StatementPlace> statement) {
    return all.stream()
        .collect(
            Collectors.groupingBy(
                race -> statement.apply(race).shape(), HashMap::new, Collectors.toList()));
  }

  List<SoughtRace> all() {
    return all;
  }

  /** Those in which the first transaction reads by a statement. */
  List<SoughtRace> ofRead(StatementPlace read) {
    return byRead.getOrDefault(read.shape(), List.of()).stream()
        .filter(race -> race.read().matches(read))
        .toList();
  }

  /** Those in which the second transaction writes by a statement. */
  List<SoughtRace> ofWrite(StatementPlace write) {
    return byWrite.getOrDefault(write.shape(), List.of()).stream()
        .filter(race -> race.write().matches(write))
        .toList();
  }
}
