package io.txwatch.cli;

import io.txwatch.history.CallSite;
import io.txwatch.predict.JavaTestText;
import io.txwatch.predict.KeyEquality;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.TemplateStatement;
import io.txwatch.proof.RaceProof;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Writes an {@code @InterleaveTest} of a confirmed race, in which the calls have to be filled in.
 */
final class PredictedTest {

  private PredictedTest() {}

  /**
   * The text of the class.
   *
   * @param className its name
   */
  static String of(RaceProof proof, String dbms, String className) {
    JavaTestText text = new JavaTestText();
    List<OperationTemplate> operations = proof.candidate().operations();
    text.comment("", proof.term() + " on " + dbms + ", confirmed by this order:");
    proof.schedule().forEach(line -> text.comment("", "  " + line));
    text.comment("", "");
    text.comment("", "Replace each throw statement by the call of your application that executes");
    text.comment("", "these statements, with values for which the keys are equal:");
    for (KeyEquality key : proof.candidate().keys()) {
      text.comment("", "  " + key);
    }
    text.line("import io.txwatch.junit.InterleaveTest;");
    text.line("import io.txwatch.junit.Interleaving;");
    text.line("");
    text.line("class " + className + " {");
    text.line("  @InterleaveTest");
    String method =
        text.method(operations.get(0).name(), operations.get(operations.size() - 1).name());
    text.line("  void " + method + "(Interleaving run) {");
    for (int i = 0; i < operations.size(); i++) {
      OperationTemplate operation = operations.get(i);
      for (TemplateStatement statement : operation.statements()) {
        text.comment("    ", statement.sql() + at(statement));
      }
      text.operation(operation.name(), "T" + (i + 1));
    }
    text.line("  }");
    text.line("}");
    return text.toString();
  }

  private static String at(TemplateStatement statement) {
    String place = CallSite.shown(statement.callSite());
    return place.isEmpty() ? "" : "  (" + place + ")";
  }

  /** A name for the class: {@code LostUpdate1}, or {@code Race1}. */
  static String className(RaceProof proof, int number) {
    return List.of(proof.phenomenon().map(Enum::name).orElse("RACE").split("_")).stream()
            .map(word -> word.substring(0, 1) + word.substring(1).toLowerCase(Locale.ROOT))
            .collect(Collectors.joining())
        + number;
  }
}
