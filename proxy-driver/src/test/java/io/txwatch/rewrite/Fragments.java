package io.txwatch.rewrite;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Words of statements and signs in any order: few of the texts are statements. */
final class Fragments {

  private static final String WORDS =
      "select|a|from t|where a =|insert into t values (|update t set a =|delete from t|join|union"
          + "|with t as (|returning|1|1e5|1.5|0x|'it'|null| |(|)|,|*|=";

  private static final String SIGNS =
      "'|\"|`|[|]|--|-- |/*|*/|/*!|#|$$|$a$|?|??|?1|:a|::|@a|@@|$1|E'|N'|X'|\\|;|.|{|}|1e|//|\n|é";

  private Fragments() {}

  static Arbitrary<String> texts() {
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(3, Arbitraries.of(WORDS.split("\\|"))),
            net.jqwik.api.Tuple.of(2, Arbitraries.of(SIGNS.split("\\|"))),
            net.jqwik.api.Tuple.of(1, Arbitraries.strings().all().ofMaxLength(3)))
        .list()
        .ofMaxSize(25)
        .map(all -> String.join(all.size() % 2 == 0 ? " " : "", all));
  }
}
