package kist;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.List;
import java.util.Map;

/**
 * A JCA provider whose signatures are made in the daemon: {@code Security.addProvider(new KistProvider())}. {@link #privateKey} gives keys for it, which work in
 * {@code SSLContext} and wherever {@code java.security.Signature} is asked for by name alone. {@code KeyStore.getInstance("Kist")}, loaded by {@link Keys}, has
 * the keys that sign and that serve when it is loaded, by label.
 */
public final class KistProvider extends Provider {
  private static final long serialVersionUID = 1;
  /** The algorithms of {@code Signature}, and what the daemon calls them. */
  static final Map<String, SignatureScheme> SCHEMES = Map.of(
      "SHA256withECDSA", SignatureScheme.ECDSA_P256_SHA256, "SHA384withECDSA", SignatureScheme.ECDSA_P384_SHA384, "SHA256withRSA", SignatureScheme.RSA_PKCS1_SHA256,
      "SHA384withRSA", SignatureScheme.RSA_PKCS1_SHA384, "SHA512withRSA", SignatureScheme.RSA_PKCS1_SHA512, "Ed25519", SignatureScheme.ED25519);
  /** The algorithms of a digest for RSASSA-PSS, whose salt is as long. */
  static final Map<String, SignatureScheme> PSS_SCHEMES =
      Map.of("SHA-256", SignatureScheme.RSA_PSS_SHA256, "SHA-384", SignatureScheme.RSA_PSS_SHA384, "SHA-512", SignatureScheme.RSA_PSS_SHA512);

  /** The provider {@code Kist}. */
  public KistProvider() {
    super("Kist", "0.1", "signatures by keys in kistd");
    for (String algorithm : SCHEMES.keySet()) add(algorithm);
    add("RSASSA-PSS");
    putService(new Service(this, "KeyStore", "Kist", KistKeyStore.class.getName(), List.of(), Map.of()) {
      @Override
      public Object newInstance(Object parameter) {
        return new KistKeyStore();
      }
    });
  }

  /**
   * By which the key store {@code Kist} is loaded; {@code load(null, null)} is by a new client of the environment's endpoint.
   *
   * @param client by which keys are listed, and sign
   */
  public record Keys(Client client) implements KeyStore.LoadStoreParameter {
    /** None: the kernel tells the daemon who calls. */
    @Override
    public KeyStore.ProtectionParameter getProtectionParameter() {
      return null;
    }
  }

  private void add(String algorithm) {
    Map<String, String> only = Map.of("SupportedKeyClasses", KistPrivateKey.class.getName());
    putService(new Service(this, "Signature", algorithm, KistSignature.class.getName(), List.of(), only) {
      @Override
      public Object newInstance(Object parameter) {
        return new KistSignature(algorithm);
      }
    });
  }

  /**
   * A key in the daemon; the grant has to name describe-key and sign.
   *
   * @param client by which it signs
   * @param key the key's id
   * @return a key without bytes
   * @throws GeneralSecurityException if the key is none that signs
   */
  public static PrivateKey privateKey(Client client, KeyId key) throws GeneralSecurityException {
    return KistPrivateKey.of(client, key, publicKey(client, key));
  }

  /**
   * Its public half.
   *
   * @param client to ask
   * @param key the key's id
   * @return the public key
   * @throws GeneralSecurityException if it has none
   */
  public static PublicKey publicKey(Client client, KeyId key) throws GeneralSecurityException {
    KeyDescription description = client.describeKey(key);
    if (description.publicKey() == null) throw new GeneralSecurityException("it has no public key");
    String algorithm = description.algorithm() == null ? "" : description.algorithm();
    String family = algorithm.startsWith("P-") ? "EC" : algorithm.startsWith("RSA") ? "RSA" : "Ed25519";
    return KeyFactory.getInstance(family).generatePublic(new X509EncodedKeySpec(description.publicKey()));
  }

  /**
   * The certificate that the daemon has for a key.
   *
   * @param client to ask
   * @param key the key's id
   * @return the certificate, or null if there is none
   * @throws CertificateException if it is none that Java reads
   */
  public static Certificate certificate(Client client, KeyId key) throws CertificateException {
    byte[] octets = client.describeKey(key).certificate();
    return octets == null ? null : CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(octets));
  }
}
