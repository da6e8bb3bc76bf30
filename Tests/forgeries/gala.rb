# What gala makes of the tokens of forge.mjs. Usage: ruby gala.rb LIB FOLDER ROOT, LIB gala's folder `lib`, ROOT the sandbox's pki/root.cer in place of Apple's root.

require "json"

library, folder, root = ARGV
$LOAD_PATH.unshift(library)
require "gala/payment_token"
Gala::PaymentToken.send(:remove_const, :APPLE_ROOT_CERT)
Gala::PaymentToken.const_set(:APPLE_ROOT_CERT, File.binread(root))
certificate, key = %w[certificate.pem key.pem].map { |name| File.read(File.join(folder, name)) }

File.readlines(File.join(folder, "order"), chomp: true).each do |name|
  token = Gala::PaymentToken.new(JSON.parse(File.read(File.join(folder, "#{name}.json"))))
  puts "#{name} opened, amount #{JSON.parse(token.decrypt(certificate, key))["transactionAmount"]}"
rescue StandardError => error
  puts "#{name} refused: #{error.class}: #{error.message}"
end
