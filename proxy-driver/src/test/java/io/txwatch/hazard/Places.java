package io.txwatch.hazard;

import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The places of an {@link OnEach}. */
final class Places extends AnnotationBasedArgumentsProvider<OnEach> {

  /** {@code items} lies between them, and adds nothing that {@code predicates} does not. */
  private static final List<Level> LEVELS = List.of(Level.INLINE, Level.PREDICATES);

  @Override
  protected Stream<? extends Arguments> provideArguments(
      ParameterDeclarations parameters, ExtensionContext context, OnEach annotation) {
    List<ServerKind> wanted =
        annotation.value().length == 0 ? List.of(ServerKind.values()) : List.of(annotation.value());
    return TestServers.kinds()
        .filter(wanted::contains)
        .flatMap(Places::of)
        .filter(place -> place.isPrepared() || !annotation.preparedOnly())
        .filter(place -> !place.isByValue() || !annotation.rewrittenOnly())
        .map(Arguments::of);
  }

  private static Stream<Place> of(ServerKind kind) {
    return LEVELS.stream().map(level -> new Place(kind, level));
  }
}
