package io.txwatch.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.analyzer.Notation;
import io.txwatch.history.EventSink;
import io.txwatch.link.Tls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A link by TLS: to the server whose certificate one has, and to no other. */
class TlsTest {

  private static final String PASSWORD = "changeit";

  private static void certificate(Path store) throws Exception {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-dname",
                "CN=analyzer.example",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    pem(
        store.resolveSibling(store.getFileName() + ".cert"),
        "CERTIFICATE",
        keys.getCertificate("a").getEncoded());
    pem(
        store.resolveSibling(store.getFileName() + ".key"),
        "PRIVATE KEY",
        keys.getKey("a", PASSWORD.toCharArray()).getEncoded());
  }

  private static void pem(Path file, String what, byte[] bytes) throws IOException {
    String text =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
  }

  @Test
  void serverIsVerifiedByItsCertificate(@TempDir Path directory) throws Exception {
    certificate(directory.resolve("one"));
    Path certificate = directory.resolve("one.cert");
    try (TestServer served =
        new TestServer(Tls.server(certificate, directory.resolve("one.key")))) {
      try (EventSink trusting = served.secureService("trusting", certificate.toString());
          EventSink doubting = served.secureService("doubting", "");
          EventSink plain = served.service("plain")) {
        TestServer.send(doubting, Notation.events("r7(x0) c7"));
        TestServer.send(plain, Notation.events("r8(x0) c8"));
        TestServer.send(trusting, Notation.events("r1(x0) r2(x0) w1(x0) c1 w2(x1) c2"));
        served.await(() -> !served.found.isEmpty(), "an anomaly");
        served.awaitLine("closed");
      }
      served.awaitLine("trusting has ended");
      served.await(() -> served.server.status().coverage().transactions() > 0, "transactions");
      assertThat(served.server.status().coverage().transactions()).isEqualTo(2);
      assertThat(served.lines)
          .noneMatch(line -> line.startsWith("doubting") || line.startsWith("plain"));
    }
  }

  @Test
  void invalidCertificateFileIsReported(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "no PEM");
    assertThatThrownBy(() -> Tls.server(file, file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(file + ": expected a key in PEM");
  }
}
