package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Product;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventListenersTest {

  private final List<String> warnings = new ArrayList<>();
  private final List<Event> heard = new ArrayList<>();
  private final EventListeners listeners = new EventListeners(warnings::add);

  private static Event opened(long session) {
    return new Event.SessionOpened(session, "", new Database(Product.UNKNOWN, Map.of()));
  }

  @Test
  void listenerGetsTheOpeningsOfOpenSessionsAndWhatFollows() {
    listeners.accept(opened(1));
    listeners.accept(opened(2));
    listeners.accept(new Event.SessionClosed(1));
    Runnable remove = listeners.add(heard::add);
    listeners.accept(opened(3));
    remove.run();
    listeners.accept(opened(4));

    assertThat(heard).containsExactly(opened(2), opened(3));
  }

  @Test
  void listenerThatThrowsIsRemovedAndHarmsNoOther() {
    listeners.add(
        event -> {
          throw new IllegalStateException("full");
        });
    listeners.add(heard::add);
    listeners.accept(opened(1));
    listeners.accept(opened(2));

    assertThat(heard).hasSize(2);
    assertThat(warnings).singleElement().asString().contains("full");
  }
}
