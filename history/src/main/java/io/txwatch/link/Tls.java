package io.txwatch.link;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** TLS contexts from certificates and keys in PEM files. */
public final class Tls {

  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
  private static final char[] NO_PASSWORD = {};

  private Tls() {}

  /**
   * Creates a server's context.
   *
   * @param certificates its certificate, followed by those of its authorities
   * @param key the certificate's key: PKCS#8 without a password
   * @throws IOException if a file is unreadable or malformed; the message names it
   */
  public static SSLContext server(Path certificates, Path key) throws IOException {
    PrivateKey privateKey = privateKey(key);
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, NO_PASSWORD);
      store.setKeyEntry(
          "txwatch",
          privateKey,
          NO_PASSWORD,
          certificates(certificates).toArray(Certificate[]::new));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, NO_PASSWORD);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(certificates + ", " + key + ": do not go together: " + e, e);
    }
  }

  /**
   * Creates a client's context.
   *
   * @param trusted certificates to trust instead of the JVM's. A pinned server certificate is
   *     accepted for any host name; otherwise the server's certificate must contain the host name
   * @throws IOException if the file is not what it should be
   */
  static SSLContext client(Optional<Path> trusted) throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      if (trusted.isEmpty()) {
        context.init(null, null, null);
        return context;
      }
      Collection<? extends Certificate> certificates = certificates(trusted.get());
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, NO_PASSWORD);
      int number = 0;
      for (Certificate certificate : certificates) {
        store.setCertificateEntry("txwatch" + number++, certificate);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager byAuthority) {
          context.init(null, new TrustManager[] {new Pinned(certificates, byAuthority)}, null);
          return context;
        }
      }
      throw new IOException("this JVM has no trust manager for X.509");
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS: " + e, e);
    }
  }

  /** Opens TLS over a connected socket and verifies the server's identity. */
  static SSLSocket over(Socket socket, SSLContext context, Address address) throws IOException {
    SSLSocket secure =
        (SSLSocket)
            context.getSocketFactory().createSocket(socket, address.host(), address.port(), true);
    SSLParameters parameters = secure.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secure.setSSLParameters(parameters);
    secure.startHandshake();
    return secure;
  }

  private static Collection<? extends Certificate> certificates(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw new IOException(file + ": expected certificates in PEM, there are none");
      }
      return found;
    } catch (CertificateException e) {
      throw new IOException(file + ": expected certificates in PEM: " + e.getMessage(), e);
    }
  }

  private static PrivateKey privateKey(Path file) throws IOException {
    Matcher found = KEY.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
    if (found.find()) {
      PKCS8EncodedKeySpec encoded =
          new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(found.group(1)));
      for (String algorithm : new String[] {"RSA", "EC", "EdDSA"}) {
        try {
          return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
        } catch (InvalidKeySpecException e) {
          // of another algorithm
        } catch (GeneralSecurityException e) {
          throw new IOException(file + ": " + e.getMessage(), e);
        }
      }
    }
    throw new IOException(
        file + ": expected a key in PEM, PKCS#8 without a password (BEGIN PRIVATE KEY)");
  }

  /**
   * Trusts a server whose own certificate is pinned; verifies every other one by its authorities.
   */
  private static final class Pinned extends X509ExtendedTrustManager {

    private final Collection<? extends Certificate> pinned;
    private final X509ExtendedTrustManager byAuthority;

    Pinned(Collection<? extends Certificate> pinned, X509ExtendedTrustManager byAuthority) {
      this.pinned = pinned;
      this.byAuthority = byAuthority;
    }

    private boolean isPinned(X509Certificate[] chain) throws CertificateException {
      if (chain.length > 0 && pinned.contains(chain[0])) {
        chain[0].checkValidity();
        return true;
      }
      return false;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      if (!isPinned(chain)) {
        byAuthority.checkServerTrusted(chain, type, socket);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      if (!isPinned(chain)) {
        byAuthority.checkServerTrusted(chain, type, engine);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      if (!isPinned(chain)) {
        byAuthority.checkServerTrusted(chain, type);
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      throw new CertificateException("a client verifies no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      throw new CertificateException("a client verifies no clients");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("a client verifies no clients");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return byAuthority.getAcceptedIssuers();
    }
  }
}
